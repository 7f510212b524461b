-- A memory's words stand last in their row, behind as many blanks as a page has bytes, so that
-- they are always in pages of their own: those are not copied when rows make room for one
-- another, and are written over once the memory is forgotten. What stands before them may leave
-- copies behind, so no hash of them does: mark has two of its 64 digits, enough to compare few.
PRAGMA secure_delete = ON;
CREATE TABLE memories_apart (
    number      INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    project     TEXT    NOT NULL,
    mark        TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    session_id  TEXT    NOT NULL,
    turn_id     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    uses        INTEGER NOT NULL DEFAULT 0,
    content     TEXT    NOT NULL
);
INSERT INTO memories_apart
SELECT number, id, project, substr(fingerprint, 1, 2), kind, session_id, turn_id, created_at,
       seen_at, uses, printf('%4096s', '') || content
FROM memories ORDER BY number;
DROP TABLE memories;
ALTER TABLE memories_apart RENAME TO memories;
CREATE INDEX memories_by_session ON memories (session_id);
CREATE INDEX memories_by_project ON memories (project, mark);
-- The write-ahead log still has what stood in the old pages.
INSERT INTO settings (name, value) SELECT 'memory.sweep', 'due' FROM memories LIMIT 1
ON CONFLICT (name) DO UPDATE SET value = excluded.value;
PRAGMA secure_delete = OFF;
