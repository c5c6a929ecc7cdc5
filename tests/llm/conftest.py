collect_ignore = ["stand_ins"]
