#include <cstdio>
#include <cmath>
#include <cstdlib>
#include "engine/tribo.h"
#include "tools/tribo/bench_robots.h"
#include "engine/base/vec3.h"
int main(int argc,char**argv){
  double h=argc>1?atof(argv[1]):1e-3,T=10;
  TriboBuilder* b; if(tribo_bench_quadruped(false,&b)) return 1; if(tribo_builder_set_gravity(b,tribo_vec3(0,0,0))) return 1;
  TriboModel*m;TriboMessage msg; if(tribo_model_create(b,nullptr,&m,&msg))return 1;
  TriboState*s; TriboWorkspace*w; if(tribo_state_create(m,nullptr,&s)||tribo_workspace_create(m,nullptr,nullptr,&w)) return 1;
  double v[18]={.1,.2,.3,.5,.3,.7}; for(int i=0;i<12;i++)v[6+i]=2*sin(1+i); if(tribo_state_set_v(m,s,v)) return 1;
  TriboStepOptions o=tribo_step_options_default(); o.h=h; if(argc>2)o.integrator=TRIBO_INTEGRATOR_RK4; TriboEnergy a,c; (void)!tribo_energy(m,s,w,&a);
  double de=0,dp=0,dl=0; int N=lround(T/h); for(int k=0;k<N;k++){ TriboStatus st=tribo_step(m,&o,nullptr,s,w); if(st){printf("fail %d\n",st);return 1;} if(k%10==9){(void)!tribo_energy(m,s,w,&c); de=fmax(de,fabs(c.kinetic-a.kinetic)/a.kinetic);dp=fmax(dp,tribo_vec3_distance(c.linear_momentum,a.linear_momentum)/tribo_vec3_norm(a.linear_momentum));dl=fmax(dl,tribo_vec3_distance(c.angular_momentum,a.angular_momentum)/tribo_vec3_norm(a.angular_momentum));}}
  printf("h %g E0 %.6g dE %.3e dP %.3e dL %.3e\n",h,a.kinetic,de,dp,dl);
}
