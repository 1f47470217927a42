-- Reads an origin's data and what is left of its life, in one step.
--
-- KEYS[1]  the origin's data
return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}
