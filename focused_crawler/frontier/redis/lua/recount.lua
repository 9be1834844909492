-- Set counters right that are no numbers from 0 on.
for at = 4, #ARGV do
  if not Count.stored(ARGV[at]) then
    Count.repair(ARGV[at])
    if ARGV[at] ~= 'quarantined' then count('quarantined', 1) end
  end
end
return { finish_step() }
