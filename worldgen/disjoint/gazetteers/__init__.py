"""The built-in gazetteers, one a file; each reads its package only when its names are asked for."""
