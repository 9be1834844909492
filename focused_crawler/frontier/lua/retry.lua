local id, tries, moment, name, new = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]
local record = find(id)
local lease = record and state_of(record) == 'L' and lease_of(id)
if not record then
  make_wait(named(name), id, new, 1, moment)
elseif not lease or lease.worker == WORKER then
  retry(id, record, tries, 1, moment)
end
return { finish_step() }
