package dev.weir.it;

/** The requests that a gateway has counted, from its {@code /metrics}. */
public final class RequestMetrics {
  private RequestMetrics() {}

  /** Returns the searches with a label, such as {@code path="coordinated"}. */
  public static double searches(TestBed bed, String label) {
    return sum(bed, "weir_requests_total{", "action=\"search\"", label);
  }

  /** Returns how often searches went through a phase, such as {@code fetch}. */
  public static double phases(TestBed bed, String phase) {
    return sum(bed, "weir_search_phase_seconds_count{", "phase=\"" + phase + "\"", "");
  }

  private static double sum(TestBed bed, String start, String label, String other) {
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith(start) && line.contains(label) && line.contains(other))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
