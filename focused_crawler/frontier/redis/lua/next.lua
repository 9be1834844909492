-- Whether a URL may be taken at once, else the first times at which a host is to be checked and a lease ends.
local host = Host.first_ready()
local alarm = call('ZRANGE', ALARMS, 0, 0, 'WITHSCORES')[2]
local stop = call('ZRANGE', ENDS, 0, 0, 'WITHSCORES')[2]
return { finish_step(), host and 1 or 0, alarm or '', stop or '' }
