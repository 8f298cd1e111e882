package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What came of a run of scenarios. */
public final class ComparisonReport {
  private final List<Finding> findings = new ArrayList<>();
  private final List<Finding> chance = new ArrayList<>();
  private int requests;

  ComparisonReport() {}

  /**
   * A request whose answers differ.
   *
   * @param scenario the scenario's name
   * @param request the request, and where it is written
   * @param differences in what
   */
  public record Finding(String scenario, String request, List<Difference> differences) {
    /** Copies the differences. */
    public Finding {
      differences = List.copyOf(differences);
    }

    @Override
    public String toString() {
      return scenario
          + ": "
          + request
          + differences.stream().map(each -> "\n    " + each).collect(Collectors.joining());
    }
  }

  void add(ComparisonScenario scenario, ComparisonStep step, List<Difference> differences) {
    requests++;
    if (!differences.isEmpty()) {
      findings.add(new Finding(scenario.name(), step.toString(), differences));
    }
  }

  /**
   * Adds what another report says.
   *
   * @param byChance requests that the reference itself answers in several ways
   */
  void add(ComparisonReport other, Set<String> byChance) {
    requests += other.requests;
    for (Finding finding : other.findings) {
      (byChance.contains(finding.request()) ? chance : findings).add(finding);
    }
  }

  /** The requests whose answers differ, as text. */
  Set<String> differingRequests() {
    return findings.stream().map(Finding::request).collect(Collectors.toSet());
  }

  /** The requests whose answers differ. */
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** The requests that the reference itself answers now in one way and now in another. */
  public List<Finding> flakyFindings() {
    return List.copyOf(chance);
  }

  /** How many requests were sent to each side at most. */
  public int requests() {
    return requests;
  }

  /** Everything that differs, as text; a summary in the last line. */
  @Override
  public String toString() {
    return findings.stream().map(each -> each + "\n").collect(Collectors.joining())
        + requests
        + " requests, "
        + findings.size()
        + " answered differently"
        + (chance.isEmpty() ? "" : ", " + chance.size() + " by chance");
  }
}
