-- Gives a lease back if it is still the caller's.
--
-- KEYS[1]  the origin's lease
-- ARGV[1]  the caller's token
-- ARGV[2]  the origin's channel
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], 'release')
return 1
