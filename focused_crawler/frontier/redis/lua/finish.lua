-- Done (d) or failed for good (f). A page counts for `page_of`, or where `is_own` for the host of the lease.
local id, state, page_of, is_own = ARGV[4], ARGV[5], ARGV[6], ARGV[7] == '1'
local lease = Lease.of(id)
if lease and lease.home == '' then lease = nil end
-- Another worker is asking for it: what it finds counts.
if lease and lease.worker ~= WORKER then return { finish_step(), 0 } end
if is_own and lease then page_of = lease.home end
local is_new = Lease.end_url(id, state, page_of)
if is_new and page_of ~= '' then Host.count_page(Host.named(page_of)) end
return { finish_step(), is_new and 1 or 0 }
