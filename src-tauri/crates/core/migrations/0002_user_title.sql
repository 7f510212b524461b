-- A session's row is a projection of its events but for what the user did to the row itself:
-- the title they gave it is kept apart, so that the rest can be computed anew from the log.
ALTER TABLE sessions ADD COLUMN user_title TEXT;

-- Until now nobody noted who gave a title: what stands there stays.
UPDATE sessions SET user_title = title WHERE title <> '';
