fixture slab | slabstack -i - filp -O $WORK/report && sed 3q $WORK/report
