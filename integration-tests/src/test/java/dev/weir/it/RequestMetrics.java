package dev.weir.it;

/** The requests that a gateway has counted, from its {@code /metrics}. */
public final class RequestMetrics {
  private RequestMetrics() {}

  /** Returns the searches with a label, such as {@code path="coordinated"}. */
  public static double searches(TestBed bed, String label) {
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith("weir_requests_total{"))
        .filter(line -> line.contains("action=\"search\"") && line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
