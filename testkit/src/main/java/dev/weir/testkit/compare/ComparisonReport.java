package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
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

  /**
   * Adds a request.
   *
   * @param unexplained what of its differences is no chance
   */
  void add(ComparisonScenario scenario, StepResult result, List<Difference> unexplained) {
    requests++;
    String request = result.step().toString();
    if (!unexplained.isEmpty()) {
      findings.add(new Finding(scenario.name(), request, unexplained));
    } else if (result.isDifferent()) {
      chance.add(new Finding(scenario.name(), request, result.differences()));
    }
  }

  /** The requests whose answers differ. */
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  /** The requests whose answers differ only in what the reference itself changes. */
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
