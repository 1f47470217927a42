-- Stores a snapshot if what it was made from is still what is stored. Returns 1
-- if it is stored, 0 on a conflict.
--
-- KEYS[1]  the origin's data
-- ARGV[1]  the revision it was made from, '' for none
-- ARGV[2]  its own revision, used by nobody else
-- ARGV[3]  header
-- ARGV[4]  digest of the body, '' for no copy
-- ARGV[5]  'keep' the stored body, or 'set' what follows
-- ARGV[6]  body, '' for no copy
-- ARGV[7]  milliseconds to live
-- ARGV[8]  the origin's channel
--
-- A key that is no hash is as good as none, and replaced: the error that pcall
-- returns for it has neither first nor second element.
local stored = redis.pcall('HMGET', KEYS[1], 'r', 'd')
if stored[1] == ARGV[2] then
  return 1 -- sent again, as the first answer was lost
end
if (stored[1] or '') ~= ARGV[1] then
  return 0
end
if ARGV[5] == 'keep' then
  if stored[2] ~= ARGV[4] or redis.call('HEXISTS', KEYS[1], 'b') == 0 then
    return 0
  end
  redis.call('HSET', KEYS[1], 'r', ARGV[2], 'h', ARGV[3])
else
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'r', ARGV[2], 'h', ARGV[3])
  if ARGV[4] ~= '' then
    redis.call('HSET', KEYS[1], 'd', ARGV[4], 'b', ARGV[6])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
redis.call('PUBLISH', ARGV[8], 'put')
return 1
