local id, tries, moment, name, new = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]
local record = Url.find(id)
local lease = record and Url.state_of(record) == 'L' and Lease.of(id)
if not record then
  Host.make_wait(Host.named(name), id, new, 1, moment)
elseif not lease or lease.worker == WORKER then
  Lease.retry(id, record, tries, 1, moment)
end
return { finish_step() }
