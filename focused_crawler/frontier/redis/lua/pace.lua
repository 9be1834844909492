local host = Host.named(ARGV[4])
host.delay = tonumber(ARGV[5])
if host.asked_at > 0 then host.ready_at = max(host.ready_at, host.asked_at + Host.gap(host)) end
Host.touch(host)
return { finish_step() }
