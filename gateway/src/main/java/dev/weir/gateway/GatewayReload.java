package dev.weir.gateway;

import dev.weir.admission.memory.GatewayMemory;
import dev.weir.bluegreen.traffic.ClusterRouter;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.gateway.admission.HeaderAdmissionFilter;
import dev.weir.gateway.reload.ReloadablePart;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicies;
import java.util.List;

/** Puts a changed configuration in force where requests see it. Safe on any thread. */
final class GatewayReload {
  private final SharedServices sharedServices;
  private final HeaderAdmissionFilter headerAdmission;
  private final GatewayMemory requestMemory;
  private final ClusterRuntimes clusters;
  private final ClusterRouter clusterRouter;
  private final PolicyCompiler<PolicySettings> policies;

  GatewayReload(
      SharedServices sharedServices,
      HeaderAdmissionFilter headerAdmission,
      GatewayMemory requestMemory,
      ClusterRuntimes clusters,
      ClusterRouter clusterRouter,
      PolicyCompiler<PolicySettings> policies) {
    this.sharedServices = sharedServices;
    this.headerAdmission = headerAdmission;
    this.requestMemory = requestMemory;
    this.clusters = clusters;
    this.clusterRouter = clusterRouter;
    this.policies = policies;
  }

  /** The parts that follow a changed configuration; those that requests see come last. */
  List<ReloadablePart> reloadableParts() {
    return List.of(
        ReloadablePart.ofSection(GatewayPolicy::admission, this::updateAdmission),
        clusters::prepare,
        this::prepareRequestPolicies);
  }

  private void updateAdmission(AdmissionPolicy changed) {
    sharedServices
        .resources()
        .limits()
        .concurrency()
        .setLimit(changed.maxInFlight(), changed.retryAfter());
    headerAdmission.updatePolicy(changed);
    requestMemory.updatePolicy(changed.requestMemory());
  }

  /** Compiles the policies of requests; one write of the cluster router puts them in force. */
  private ReloadablePart.Change prepareRequestPolicies(GatewayPolicy running, GatewayPolicy next) {
    RequestPolicies previous = clusterRouter.requestPolicies();
    RequestPolicies compiled =
        policies.compile(next.defaultPolicySettings(), next.namedPolicySettings(), previous);
    ClusterRouter.PreparedPolicy prepared = clusterRouter.prepare(next, compiled);
    return new ReloadablePart.Change() {
      @Override
      public void commit() {
        setPolicies(compiled);
        prepared.commit();
      }

      @Override
      public void revert() {
        prepared.revert();
        setPolicies(previous);
      }
    };
  }

  private void setPolicies(RequestPolicies requests) {
    sharedServices.features().setPolicies(requests);
    clusters.all().forEach(cluster -> cluster.setDefaultPolicy(requests.defaultPolicy()));
  }
}
