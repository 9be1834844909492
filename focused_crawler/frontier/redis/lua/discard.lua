-- Put aside what the caller found malformed; with the record and the lease of a URL, if it names one.
local where, what, id = ARGV[4], ARGV[5], ARGV[6]
if id then
  local lease = Lease.of(id)
  if lease then Lease.finish(id, lease) end
  call('HDEL', URLS, id)
end
put_aside(where, what)
return { finish_step() }
