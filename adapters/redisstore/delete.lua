-- Forgets an origin. What is left is a state used by nobody else, so that a put
-- made from any earlier one conflicts for as long as it lives. Returns how many
-- replicas there are, as far as the user may know, and who heard of it.
--
-- KEYS[1]  the origin's data
-- ARGV[1]  the state
-- ARGV[2]  milliseconds to live
-- ARGV[3]  the origin's channel
-- ARGV[4]  the channel of deletes
-- ARGV[5]  the origin
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[3], 'delete')
local heard = redis.call('PUBLISH', ARGV[4], ARGV[5])
local info = redis.pcall('INFO', 'replication')
local replicas = type(info) == 'string' and tonumber(string.match(info, 'connected_slaves:(%d+)')) or 0
return {replicas, heard}
