package dev.weir.testkit.compare;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Runs scenarios against a reference and a candidate and reports what differs.
 *
 * <p>Each request goes to the reference first and then to the candidate; both are assumed to stand
 * before the same cluster.
 *
 * <p>A scenario in which something differs is run again, a few times, with the reference on both
 * sides. What the reference shows in these runs decides, for each part of a response by itself,
 * whether the candidate's is chance:
 *
 * <ul>
 *   <li>A status, a header, or a value at one place of a body is chance if the reference gave the
 *       same in one of its responses: a tie in another order, a shard that was faster.
 *   <li>A number or a string of a body is also chance if the reference gave another one at this
 *       place each time: a time, an id.
 *   <li>Anything else is a finding, however often the reference changes other parts of the same
 *       response.
 * </ul>
 *
 * <p>{@link ChanceCheck} has the rule in full. While the reference gives several responses and none
 * explains the candidate's, the scenario is run more often. A step whose values vary in a way that
 * the rule does not excuse names them with {@code ignore=} or {@code unordered=} in its corpus.
 */
public final class EndpointComparer {
  private static final int FIRST_FAILURE = 300;

  /** How often a scenario with differences is run against the reference alone. */
  private static final int MAX_REPEATS = 12;

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
    List<StepResult> first = run(scenario, candidate);
    Map<Integer, ChanceCheck> checks = new TreeMap<>();
    for (int i = 0; i < first.size(); i++) {
      if (first.get(i).isDifferent()) {
        checks.put(i, new ChanceCheck(first.get(i)));
      }
    }
    for (int i = 0; i < MAX_REPEATS && needMore(checks); i++) {
      List<StepResult> again = run(scenario, reference);
      checks.forEach((step, check) -> {
        check.add(again.get(step).reference());
        check.add(again.get(step).candidate());
      });
    }
    for (int i = 0; i < first.size(); i++) {
      ChanceCheck check = checks.get(i);
      report.add(scenario, first.get(i), check == null ? List.of() : check.unexplained());
    }
  }

  private static boolean needMore(Map<Integer, ChanceCheck> checks) {
    return checks.values().stream().anyMatch(ChanceCheck::needsMore);
  }

  private List<StepResult> run(ComparisonScenario scenario, URI against) {
    List<StepResult> results = new ArrayList<>();
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
          RawHttpResponse one = left.send(step.request(), i);
          RawHttpResponse other =
              step.mode() == ComparisonStep.Mode.SENT_ONCE ? one : right.send(step.request(), i);
          left.captureVariables(step.captures(), one);
          right.captureVariables(step.captures(), other);
          ComparableResponse expected = ComparableResponse.of(step, left, one);
          ComparableResponse got = ComparableResponse.of(step, right, other);
          List<Difference> differences =
              step.mode() == ComparisonStep.Mode.COMPARED
                  ? ResponseDiff.of(List.of(expected), got)
                  : failures(one, other);
          results.add(new StepResult(step, expected, got, differences));
        }
      } finally {
        left.send(deleteRequest(name), scenario.steps().size());
      }
      return results;
    }
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
