# members: report duration_seconds balance.{part,change_bytes} caches.{cache,change_bytes}
# members: cgroups_visible cgroups_dying_start cgroups_dying cgroups_dying_below cgroups_not_read cgroups
# members: cgroups_left_out
fixture overview | slabstack -i - --format=json
