-- Leases, and ends that are not acknowledged yet. OWNED: worker, zero byte, kind (L lease, G guest, E ended),
-- id of the URL.
-- A guest is a lease of a URL of another partition, which a redirect led to a host of this one.
-- `waits` is 1 while a redirect has led a lease to a host that may not be asked for it yet.
local Lease = {}
local NOBODY = '\1' -- the owner of a host at which several workers are: no worker has this name

-- Tell whether another worker may be asking a host now. Who only waits for it does not count, or two redirects
-- would wait for each other for ever.
function Lease.is_busy_elsewhere(host)
  if host.out <= 0 or host.owner == WORKER then return false end
  local name = Host.queue_name(host)
  local from, to = range(name)
  for _, member in ipairs(call('ZRANGEBYLEX', HELD, from, to)) do
    local packed = call('HGET', LEASES, sub(member, #name + 9))
    local lease = packed and Lease.parsed(packed)
    if lease and lease.at == host.name and lease.worker ~= WORKER and lease.waits == 0 then return true end
  end
  return false
end

-- The worker that has all that is out at a host; none if nothing there makes sense.
function Lease.owner_of(host)
  local name, owner = Host.queue_name(host), ''
  local from, to = range(name)
  for _, member in ipairs(call('ZRANGEBYLEX', HELD, from, to)) do
    local packed = call('HGET', LEASES, sub(member, #name + 9))
    local lease = packed and Lease.parsed(packed)
    if lease and owner ~= '' and lease.worker ~= owner then return NOBODY end
    if lease then owner = lease.worker end
  end
  return owner
end

function Lease.save(id, lease)
  local span = pack('>d', lease.stop)
  call('HSET', LEASES, id, cmsgpack.pack({ lease.worker, lease.stop, lease.home, lease.at, lease.asked_before,
    lease.ready_before, lease.asked_after, lease.ready_after, lease.waits or 0 }))
  call('ZADD', ENDS, string.format('%.17g', lease.stop), id)
  call('ZADD', OWNED, 0, lease.worker .. '\0' .. (lease.home == '' and 'G' or 'L') .. id)
  if lease.at ~= '' then
    local host = Host.named(lease.at)
    call('ZADD', HELD, 0, Host.queue_name(host) .. span .. id)
    host.out = host.out + 1
    if host.out == 1 then
      host.owner = lease.worker
    elseif host.owner ~= lease.worker then
      host.owner = NOBODY
    end
    Host.touch(host)
  end
end

function Lease.parsed(packed)
  local is_packed, values = pcall(cmsgpack.unpack, packed)
  if not is_packed or type(values) ~= 'table' then return nil end
  for at = 1, 8 do
    local is_text = at == 1 or at == 3 or at == 4
    if type(values[at]) ~= (is_text and 'string' or 'number') then return nil end
    if not is_text and not is_sane(values[at], LATEST + LEASE_SECONDS) then return nil end
  end
  return { worker = values[1], stop = values[2], home = values[3], at = values[4], asked_before = values[5],
    ready_before = values[6], asked_after = values[7], ready_after = values[8], waits = values[9] or 0 }
end

function Lease.of(id)
  local packed = call('HGET', LEASES, id)
  if not packed then return nil end
  local lease = Lease.parsed(packed)
  if lease then return lease end
  put_aside('lease', id .. packed)
  local record = Url.find(id)
  local home = record and Url.has_body(record) and Url.host_name(record) or ''
  local stop = tonumber(call('ZSCORE', ENDS, id) or NOW)
  return { worker = WORKER, stop = stop, home = home, at = home, asked_before = 0, ready_before = 0,
    asked_after = 0, ready_after = 0, waits = 0 }
end

-- End a lease; its URL is in no queue then.
function Lease.finish(id, lease)
  call('HDEL', LEASES, id)
  call('ZREM', ENDS, id)
  call('ZREM', OWNED, lease.worker .. '\0' .. (lease.home == '' and 'G' or 'L') .. id)
  if lease.at ~= '' then
    local host = Host.named(lease.at)
    if call('ZREM', HELD, Host.queue_name(host) .. pack('>d', lease.stop) .. id) == 1 then
      host.out = max(0, host.out - 1)
      if host.out == 0 then
        host.owner = ''
      elseif host.owner == NOBODY then
        host.owner = Lease.owner_of(host)
      end
    end
    Host.touch(host)
  end
  if lease.home ~= '' then
    count('leased', -1)
    Host.touch(Host.named(lease.home))
  end
end

-- Make a leased URL pending again.
function Lease.give_back(id, lease)
  Lease.finish(id, lease)
  if lease.home == '' then return end
  local home, record = Host.named(lease.home), Url.find(id)
  home.load = max(0, home.load - 1)
  if record and Url.state_of(record) == 'L' then Host.make_pending(home, id, record) end
end

-- Give back what has been out for too long, so many at a time; return how many URLs that were, and whether
-- there are more.
function Lease.expire(most)
  local due, urls = call('ZRANGEBYSCORE', ENDS, '-inf', string.format('%.17g', NOW), 'LIMIT', 0, most), 0
  for _, id in ipairs(due) do
    local lease = Lease.of(id)
    if lease then
      if lease.home ~= '' then urls = urls + 1 end
      Lease.give_back(id, lease)
    else
      call('ZREM', ENDS, id)
    end
  end
  return urls, #due == most
end

-- The record of a URL that is out, queued or waits, taken from there; nil for any other.
function Lease.take_out(id, record)
  local state = Url.state_of(record)
  if state == 'L' then
    local lease = Lease.of(id)
    if lease then Lease.finish(id, lease) else count('leased', -1) end
    return record
  end
  if not Url.has_body(record) or (state ~= 'P' and state ~= 'W') then return nil end
  local host = Host.named(Url.host_name(record))
  if state == 'W' then return Host.end_wait(host, id, record) end
  Host.withdraw(host, Url.entry_of(id, record))
  return record
end

local ENDED_NAMES = { d = 'done', f = 'failed', D = 'done', F = 'failed' }

-- Remember, until it is acknowledged, what a URL was before it ended, and the host that counts a page for it.
function Lease.record_end(id, before, page_of)
  local ended = call('HGET', ENDED, id)
  if ended then
    local worker = string.match(ended, '^[^%z]*')
    if page_of == '' then page_of = sub(ended, #worker + 3) end
    before = sub(ended, #worker + 2, #worker + 2)
    call('ZREM', OWNED, worker .. '\0E' .. id)
  else
    count('unkept', 1)
  end
  call('HSET', ENDED, id, WORKER .. '\0' .. before .. page_of)
  call('ZADD', OWNED, 0, WORKER .. '\0E' .. id)
end

-- Forget what a URL was before it ended: it is so for good, or is asked for again.
function Lease.forget_end(id)
  local ended = call('HGET', ENDED, id)
  if not ended then return nil end
  local worker = string.match(ended, '^[^%z]*')
  call('HDEL', ENDED, id)
  call('ZREM', OWNED, worker .. '\0E' .. id)
  count('unkept', -1)
  return sub(ended, #worker + 2, #worker + 2), sub(ended, #worker + 3)
end

-- Make a URL, in whatever state it is, done (d) or failed (f); done stays done. Return whether it changed.
function Lease.end_url(id, state, page_of)
  local record = Url.find(id)
  if not record then
    Url.save(id, state)
    Lease.record_end(id, '-', page_of)
  else
    local old = Url.state_of(record)
    local name = ENDED_NAMES[old]
    if name == 'done' or name == ENDED_NAMES[state] then
      if state == 'd' and old == 'd' then Lease.record_end(id, 'P', '') end
      return false
    end
    if name then
      count(name, -1)
      Lease.record_end(id, 'F', page_of)
      Url.save(id, state .. sub(record, 2))
    elseif old == 'X' then
      count('dropped', -1)
      Lease.record_end(id, 'X', page_of)
      Url.save(id, state .. sub(record, 2))
    else
      Url.save(id, state .. sub(Lease.take_out(id, record), 2))
      Lease.record_end(id, 'P', page_of)
    end
  end
  count(ENDED_NAMES[state], 1)
  return true
end

-- What ended is not so: its worker died before it was acknowledged.
function Lease.undo_end(id)
  local before, page_of = Lease.forget_end(id)
  local record = Url.find(id)
  if page_of and page_of ~= '' then
    local host = Host.named(page_of)
    host.pages = max(0, host.pages - 1)
    Host.open(host)
    Host.touch(host)
  end
  local name = record and ENDED_NAMES[Url.state_of(record)]
  if not name then return end
  count(name, -1)
  if before == 'F' then
    Url.save(id, 'F')
    count('failed', 1)
  elseif Url.has_body(record) then
    Host.make_pending(Host.named(Url.host_name(record)), id, record)
  else
    call('HDEL', URLS, id)
  end
end

-- Make a URL wait, with one try more; one that has ended stays as it is. `tries`: those it had when it was
-- taken, -1 for any; by that a step that is taken twice counts once.
function Lease.retry(id, record, tries, more, moment)
  local state = Url.state_of(record)
  if state == 'W' and tries >= 0 and Url.tries_of(record) == tries + more then return end
  if not Url.has_body(record) then return end
  local home = Host.named(Url.host_name(record))
  if state == 'L' or state == 'W' or (state == 'P' and not Host.is_closed(home)) then
    local before = Url.tries_of(record)
    record = Lease.take_out(id, record)
    Host.make_wait(home, id, record, before + more, moment)
  end
end
