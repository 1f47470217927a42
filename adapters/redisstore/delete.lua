-- Forgets an origin. What is left is a revision used by nobody else, so that a
-- put made from any earlier state conflicts for as long as it lives.
--
-- KEYS[1]  the origin's data
-- ARGV[1]  the revision
-- ARGV[2]  milliseconds to live
-- ARGV[3]  the origin's channel
-- ARGV[4]  the channel of deletes
-- ARGV[5]  the origin
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'r', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PUBLISH', ARGV[3], 'delete')
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
