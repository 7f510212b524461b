-- The folder a session is about: a projection of its first event, like the rest of the row.
ALTER TABLE sessions ADD COLUMN project TEXT;

UPDATE sessions SET project =
    (SELECT json_extract(event, '$.project') FROM events
     WHERE events.session_id = sessions.id AND type = 'session_start'
     ORDER BY sequence_number LIMIT 1);

-- What was used, a row a step, under the id of its event. It refers to no session: money that is
-- spent stays spent when the session leaves. cost and saved are NULL where no price was known.
CREATE TABLE spending (
    id                 TEXT    NOT NULL PRIMARY KEY,
    session_id         TEXT    NOT NULL,
    project            TEXT    NOT NULL,
    source             TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    spent_at           INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    reasoning_tokens   INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    total_tokens       INTEGER NOT NULL,
    cost               REAL,
    saved              REAL
);
-- Each holds all that a limit adds up, so that the rows themselves are not read.
CREATE INDEX spending_by_time ON spending (spent_at, total_tokens, cost);
CREATE INDEX spending_by_session ON spending (session_id, spent_at, total_tokens, cost);
CREATE INDEX spending_by_project ON spending (project, spent_at, total_tokens, cost);
CREATE INDEX spending_by_source ON spending (source, spent_at, total_tokens, cost);

-- What the log knows already. A step was asked of the source that its turn's prompt names.
INSERT INTO spending (id, session_id, project, source, model, spent_at, input_tokens,
                      output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens,
                      total_tokens, cost, saved)
SELECT id, session_id, project, source, model, spent_at, input, output, reasoning, cache_read,
       cache_write, min(input + cache_read + cache_write + output, 1000000000000), cost, saved
FROM (SELECT used.id AS id,
             used.session_id AS session_id,
             coalesce(sessions.project, '') AS project,
             coalesce(json_extract(asked.event, '$.source'), sessions.source) AS source,
             coalesce(json_extract(used.event, '$.model'), '') AS model,
             CAST(round(unixepoch(json_extract(used.event, '$.timestamp'), 'subsec') * 1000) AS INTEGER) AS spent_at,
             min(coalesce(json_extract(used.event, '$.usage.inputTokens'), 0), 1000000000000) AS input,
             min(coalesce(json_extract(used.event, '$.usage.outputTokens'), 0), 1000000000000) AS output,
             min(coalesce(json_extract(used.event, '$.usage.reasoningTokens'), 0), 1000000000000) AS reasoning,
             min(coalesce(json_extract(used.event, '$.usage.cacheReadTokens'), 0), 1000000000000) AS cache_read,
             min(coalesce(json_extract(used.event, '$.usage.cacheWriteTokens'), 0), 1000000000000) AS cache_write,
             json_extract(used.event, '$.cost') AS cost,
             json_extract(used.event, '$.saved') AS saved
      FROM events used
      JOIN sessions ON sessions.id = used.session_id
      LEFT JOIN turns ON turns.session_id = used.session_id
                     AND turns.turn_id = json_extract(used.event, '$.turnId')
      LEFT JOIN events asked ON asked.session_id = turns.session_id
                            AND asked.sequence_number = turns.first_sequence
      WHERE used.type = 'usage');
