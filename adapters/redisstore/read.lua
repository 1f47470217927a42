-- Reads an origin's data and what is left of its life, in one step.
--
-- KEYS[1]  the origin's data
-- ARGV     the fields
return {redis.call('HMGET', KEYS[1], unpack(ARGV)), redis.call('PTTL', KEYS[1])}
