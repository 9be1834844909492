-- A worker lives. KEYS: the times of all workers' last heartbeats, their reports, what is known of the
-- frontier. ARGV: the worker, its report, the silence after which no worker counts as dead yet, and that after
-- which a worker does. Returns the server's time, since when there have been heartbeats without the first, how
-- many workers live, and whose heartbeats, of the future, were dropped.
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1e6
local future = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.17g', now + tonumber(ARGV[4])), '+inf',
  'LIMIT', 0, 1000)
for _, worker in ipairs(future) do redis.call('ZREM', KEYS[1], worker) end
local last = tonumber(redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or 0)
local since = tonumber(redis.call('HGET', KEYS[3], 'awake_since') or 0) or 0
if math.abs(now - last) > tonumber(ARGV[3]) or not (since <= now) then
  since = now
  redis.call('HSET', KEYS[3], 'awake_since', string.format('%.17g', now))
end
redis.call('ZADD', KEYS[1], string.format('%.17g', now), ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
local workers = redis.call('ZCOUNT', KEYS[1], string.format('%.17g', now - tonumber(ARGV[4])), '+inf')
return { struct.pack('>d', now), struct.pack('>d', since), workers, future }
