-- Stores a value if what it was made from is still what is stored. Returns 1 if
-- it is stored, 0 on a conflict.
--
-- KEYS[1]  the origin's data
-- ARGV[1]  the state it was made from: what the value begins with, '' for none
-- ARGV[2]  the value, its own state used by nobody else (codec.go has the layout)
-- ARGV[3]  'keep' the body of the stored value behind it, if that is of the same
--          digest, or 'set' it as it is
-- ARGV[4]  milliseconds to live
-- ARGV[5]  the origin's channel
--
-- A key that is no string is as good as none, and replaced. One that may not be
-- read is an error, and no conflict: that would have the origin asked again.
local states = 11
local stored = redis.pcall('GETRANGE', KEYS[1], 0, states - 1)
if type(stored) ~= 'string' then
  if not string.find(stored['err'] or '', 'WRONGTYPE', 1, true) then
    return stored
  end
  stored = ''
end
if stored == string.sub(ARGV[2], 1, states) then
  return 1 -- sent again, as the first answer was lost
end
if stored ~= ARGV[1] then
  return 0
end
local value = ARGV[2]
if ARGV[3] == 'keep' then
  local start, digest = 18, 32
  local whole = redis.call('GET', KEYS[1]) or ''
  local a, b, c = string.byte(whole, states + 1, states + 3)
  local ends = start + (a or 0) + (b or 0) * 256 + (c or 0) * 65536
  if #whole <= ends or string.byte(whole, 1) ~= string.byte(value, 1)
    or string.sub(whole, ends - digest + 1, ends) ~= string.sub(value, -digest) then
    return 0
  end
  value = value .. string.sub(whole, ends + 1)
end
redis.call('SET', KEYS[1], value, 'PX', ARGV[4])
redis.call('PUBLISH', ARGV[5], 'put')
return 1
