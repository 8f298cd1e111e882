package dev.weir.config.load;

import dev.weir.config.policy.TenantsPolicy;
import java.util.List;

/** Checks keys that tell tenants apart: without a source of tenants they have no effect. */
final class TenantKeysValidator {
  private TenantKeysValidator() {}

  /** Returns whether the file says that all requests belong to one tenant. */
  static boolean isSingleTenant(TenantsPolicy policy, SectionBinder binder) {
    return policy.source() == TenantsPolicy.TenantSource.NONE
        && !binder.isBroken("admission.tenants.source");
  }

  /**
   * Checks which tenants a rule or a route names.
   *
   * @param path the full name of the rule or route
   * @param tenants names and patterns
   */
  static void validate(
      String path, List<String> tenants, TenantsPolicy policy, SectionBinder binder) {
    if (!tenants.isEmpty() && isSingleTenant(policy, binder)) {
      binder.report(
          path + ".tenants",
          "got tenants while admission.tenants tells none apart (expected: with"
              + " admission.tenants.source)");
    }
  }
}
