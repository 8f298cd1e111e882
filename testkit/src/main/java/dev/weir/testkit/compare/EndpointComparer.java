package dev.weir.testkit.compare;

import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Runs scenarios against a reference and a candidate and reports what differs.
 *
 * <p>Each request goes to the reference first and then to the candidate; both are assumed to stand
 * before the same cluster.
 *
 * <p>A scenario in which something differs is run again, a few times, with the reference on both
 * sides: what it answers in two ways itself is chance and no finding.
 */
public final class EndpointComparer {
  private static final int FIRST_FAILURE = 300;

  /** How often a scenario with differences is run against the reference alone. */
  private static final int MAX_REPEATS = 4;

  private final URI reference;
  private final URI candidate;
  private final RandomGenerator random;

  /**
   * A comparer of two endpoints.
   *
   * @param reference a node's REST endpoint
   * @param candidate the gateway's
   * @param random where names of runs come from
   */
  public EndpointComparer(URI reference, URI candidate, RandomGenerator random) {
    this.reference = reference;
    this.candidate = candidate;
    this.random = random;
  }

  /**
   * Runs scenarios, and deletes the indices that they made with {@code {run}} in front of their
   * names.
   */
  public ComparisonReport run(List<ComparisonScenario> scenarios) {
    ComparisonReport report = new ComparisonReport();
    scenarios.forEach(scenario -> run(scenario, report));
    return report;
  }

  private void run(ComparisonScenario scenario, ComparisonReport report) {
    ComparisonReport found = run(scenario, candidate);
    Set<String> byChance = new HashSet<>();
    for (int i = 0; i < MAX_REPEATS && !byChance.containsAll(found.differingRequests()); i++) {
      byChance.addAll(run(scenario, reference).differingRequests());
    }
    report.add(found, byChance);
  }

  private ComparisonReport run(ComparisonScenario scenario, URI against) {
    ComparisonReport report = new ComparisonReport();
    // Of one length, so that lengths of bodies agree; letters that no word of a body has by chance.
    String name = "q%07x".formatted(random.nextInt(0x1000_0000));
    try (ComparedEndpoint left = new ComparedEndpoint(reference, name + "r", name + "s");
        ComparedEndpoint right = new ComparedEndpoint(against, name + "c", name + "s")) {
      try {
        for (int i = 0; i < scenario.steps().size(); i++) {
          ComparisonStep step = scenario.steps().get(i);
          if (i > 0
              && step.mode() != ComparisonStep.Mode.SENT_ONCE
              && scenario.steps().get(i - 1).mode() == ComparisonStep.Mode.SENT_ONCE) {
            right.send(refreshRequest(name), scenario.steps().size() + i);
          }
          report.add(scenario, step, run(step, i, left, right));
        }
      } finally {
        left.send(deleteRequest(name), scenario.steps().size());
      }
    }
    return report;
  }

  /**
   * Makes a gateway see a change that was sent to the reference alone: before it reports a missing
   * index, it reads the cluster state again.
   */
  private static RequestTemplate refreshRequest(String name) {
    String target = "/" + name + "-no-such-index/_doc/1";
    return RequestTemplate.of("GET", target, List.of(), "", RequestTemplate.Encoding.NONE);
  }

  private static RequestTemplate deleteRequest(String name) {
    String target = "/" + name + "*?expand_wildcards=all&ignore_unavailable=true";
    return RequestTemplate.of("DELETE", target, List.of(), "", RequestTemplate.Encoding.NONE);
  }

  private static List<Difference> run(
      ComparisonStep step, int number, ComparedEndpoint left, ComparedEndpoint right) {
    RawHttpResponse one = left.send(step.request(), number);
    RawHttpResponse other =
        step.mode() == ComparisonStep.Mode.SENT_ONCE ? one : right.send(step.request(), number);
    left.captureVariables(step.captures(), one);
    right.captureVariables(step.captures(), other);
    return step.mode() == ComparisonStep.Mode.COMPARED
        ? new ResponseDiff(step, left, right).compare(one, other)
        : failures(one, other);
  }

  private static List<Difference> failures(RawHttpResponse one, RawHttpResponse other) {
    if (succeeded(one) && succeeded(other)) {
      return List.of();
    }
    return List.of(
        new Difference(
            "a step that must succeed",
            one.outcome() + " " + one.text(),
            other.outcome() + " " + other.text()));
  }

  private static boolean succeeded(RawHttpResponse answer) {
    return answer.status() > 0 && answer.status() < FIRST_FAILURE;
  }
}
