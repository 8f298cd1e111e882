package dev.weir.config.load;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.TenantsPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What keys of the section {@code admission} must be together. */
final class AdmissionChecks {
  /** A header's name, by RFC 9110 (5.1). */
  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT");

  private AdmissionChecks() {}

  static void check(AdmissionPolicy admission, SectionBinder binder) {
    tenants(admission.tenants(), binder);
    pacing(admission.pacing().rules(), binder);
  }

  private static void pacing(List<PacingPolicy.Rule> rules, SectionBinder binder) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      PacingPolicy.Rule rule = rules.get(i);
      String path = "admission.pacing.rules[" + i + "]";
      if (!NAME.matcher(rule.name()).matches()) {
        binder.report(
            path + ".name",
            "got '" + rule.name() + "' (expected: 1 to 64 letters, digits, '.', '_' or '-')");
      } else if (!names.add(rule.name())) {
        binder.report(
            path + ".name", "got '" + rule.name() + "' twice (expected: each rule its own)");
      }
      if (rule.requestsPerSecond() == 0 && rule.bytesPerSecond().bytes() == 0) {
        binder.report(
            path, "got no rate (expected: requests-per-second or bytes-per-second over 0)");
      }
      for (String method : rule.methods()) {
        if (!METHODS.contains(method)) {
          binder.report(
              path + ".methods",
              "got '" + method + "' (expected: of " + String.join(", ", METHODS) + ")");
        }
      }
      if (rule.countAnswers() && rule.bytesPerSecond().bytes() == 0) {
        binder.report(path + ".count-answers", "got no bytes-per-second (expected: over 0)");
      }
    }
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
