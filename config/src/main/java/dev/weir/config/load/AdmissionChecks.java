package dev.weir.config.load;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.TenantsPolicy;
import java.util.regex.Pattern;

/** What keys of the section {@code admission} must be together. */
final class AdmissionChecks {
  /** A header's name, by RFC 9110 (5.1). */
  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");

  private AdmissionChecks() {}

  static void check(AdmissionPolicy admission, SectionBinder binder) {
    tenants(admission.tenants(), binder);
  }

  private static void tenants(TenantsPolicy tenants, SectionBinder binder) {
    boolean needed = tenants.by() == TenantsPolicy.By.HEADER;
    String header = tenants.header();
    if (header.isEmpty() ? needed : !HEADER.matcher(header).matches()) {
      String got = header.isEmpty() ? "none" : "'" + header + "'";
      binder.report(
          "admission.tenants.header",
          "got " + got + " (expected: the name of a header, such as X-Tenant)");
    }
    tenants
        .weights()
        .forEach((tenant, weight) -> {
          if (!(weight >= TenantsPolicy.LEAST_WEIGHT && weight <= TenantsPolicy.MOST_WEIGHT)) {
            binder.report(
                "admission.tenants.weights." + tenant,
                "got " + weight + " (expected: 0.01 to 1000)");
          }
        });
  }
}
