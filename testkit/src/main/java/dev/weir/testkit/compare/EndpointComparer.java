package dev.weir.testkit.compare;

import java.net.URI;
import java.util.ArrayList;
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
 * sides: what it answers in two ways itself is chance and no finding. Neither is an answer of the
 * candidate that the reference gives at another time.
 */
public final class EndpointComparer {
  private static final int FIRST_FAILURE = 300;

  /** How often a scenario with differences is run against the reference alone. */
  private static final int MAX_REPEATS = 4;

  /** What differed in one run of a scenario, and the answers of all steps. */
  private record ScenarioRun(
      ComparisonReport report,
      ComparedEndpoint left,
      ComparedEndpoint right,
      List<RawHttpResponse> leftAnswers,
      List<RawHttpResponse> rightAnswers) {}

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
    ScenarioRun first = run(scenario, candidate);
    Set<String> differing = first.report().differingRequests();
    Set<String> byChance = new HashSet<>();
    for (int i = 0; i < MAX_REPEATS && !byChance.containsAll(differing); i++) {
      ScenarioRun again = run(scenario, reference);
      byChance.addAll(again.report().differingRequests());
      byChance.addAll(requestsAnsweredLike(scenario, first, again));
    }
    report.add(first.report(), byChance);
  }

  /** The requests that the reference answers now as the candidate did in the first run. */
  private static Set<String> requestsAnsweredLike(
      ComparisonScenario scenario, ScenarioRun first, ScenarioRun again) {
    Set<String> requests = new HashSet<>();
    for (int i = 0; i < scenario.steps().size(); i++) {
      ComparisonStep step = scenario.steps().get(i);
      if (step.mode() == ComparisonStep.Mode.COMPARED
          && new ResponseDiff(step, again.left(), first.right())
              .compare(again.leftAnswers().get(i), first.rightAnswers().get(i))
              .isEmpty()) {
        requests.add(step.toString());
      }
    }
    return requests;
  }

  private ScenarioRun run(ComparisonScenario scenario, URI against) {
    ComparisonReport report = new ComparisonReport();
    List<RawHttpResponse> leftAnswers = new ArrayList<>();
    List<RawHttpResponse> rightAnswers = new ArrayList<>();
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
          leftAnswers.add(one);
          rightAnswers.add(other);
          report.add(scenario, step, compare(step, left, right, one, other));
        }
      } finally {
        left.send(deleteRequest(name), scenario.steps().size());
      }
      return new ScenarioRun(report, left, right, leftAnswers, rightAnswers);
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

  private static List<Difference> compare(
      ComparisonStep step,
      ComparedEndpoint left,
      ComparedEndpoint right,
      RawHttpResponse one,
      RawHttpResponse other) {
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
