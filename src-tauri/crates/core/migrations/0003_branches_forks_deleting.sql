-- A turn and the turn before it. on_path says whether it is read: the active path, a projection
-- of the log's prompts and choices of branch. A turn's events go from first_sequence to the next
-- turn's. parent is empty for a turn that begins its session.
CREATE TABLE turns (
    session_id     TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id        TEXT    NOT NULL,
    parent         TEXT    NOT NULL,
    first_sequence INTEGER NOT NULL,
    on_path        INTEGER NOT NULL,
    PRIMARY KEY (session_id, turn_id)
);
CREATE UNIQUE INDEX turns_in_order ON turns (session_id, first_sequence);
CREATE INDEX turns_on_path ON turns (session_id, on_path, first_sequence);
CREATE INDEX turns_by_parent ON turns (session_id, parent);

-- Until now there was one branch: each turn follows the one before it.
INSERT INTO turns (session_id, turn_id, parent, first_sequence, on_path)
SELECT session_id,
       turn_id,
       coalesce(lag(turn_id) OVER (PARTITION BY session_id ORDER BY first_sequence), ''),
       first_sequence,
       1
FROM (SELECT session_id,
             json_extract(event, '$.turnId') AS turn_id,
             min(sequence_number) AS first_sequence
      FROM events
      WHERE type = 'user_message'
      GROUP BY session_id, json_extract(event, '$.turnId'))
WHERE turn_id IS NOT NULL;

-- A deleted session is hidden first and leaves for good later.
ALTER TABLE sessions ADD COLUMN deleted_at INTEGER;
CREATE INDEX sessions_by_deletion ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;

-- Where a fork comes from.
ALTER TABLE sessions ADD COLUMN origin_session TEXT;
ALTER TABLE sessions ADD COLUMN origin_turn TEXT;
