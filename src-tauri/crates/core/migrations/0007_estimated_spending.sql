-- Whether the source told its last count (0), or Weir guessed what it must have been (1). What was
-- stored before is as it was told.
ALTER TABLE spending ADD COLUMN is_estimate INTEGER NOT NULL DEFAULT 0;
