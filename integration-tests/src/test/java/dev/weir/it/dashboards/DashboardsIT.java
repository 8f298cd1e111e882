package dev.weir.it.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.SmallGateway;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.dashboards.DashboardAnswer;
import dev.weir.testkit.dashboards.DashboardLogs;
import dev.weir.testkit.dashboards.DashboardRange;
import dev.weir.testkit.dashboards.DashboardRequest;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The dashboard suite on a week of logs; {@code ./weir bench dashboards} runs all of it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 4)
class DashboardsIT {
  private static final DashboardLogs LOGS = new DashboardLogs("dashboard-logs-", 7, 1, 7, 3000, 0);
  private static final int VIEWERS = 8;

  /** How often a node is asked again when the gateway's answer differs from its first one. */
  private static final int NODE_REPEATS = 4;

  private final DataNode node = SharedCluster.get().node(0);
  private final RestClient nodeRest = new RestClient(node.httpUri());
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final SmallGateway gateway = SmallGateway.inFrontOf(SharedCluster.get().seeds());

  @BeforeAll
  void load() {
    LOGS.delete(nodeRest);
    LOGS.load(nodeRest);
  }

  @AfterAll
  void close() {
    LOGS.delete(nodeRest);
    client.close();
    nodeRest.close();
    gateway.close();
  }

  @Test
  void answerEachPanelAsANodeDoes() throws Exception {
    List<DashboardRequest> requests =
        Stream.concat(
                DashboardRequest.of(LOGS, DashboardRange.WEEK, DashboardRequest.DASHBOARD).stream(),
                DashboardRequest.of(LOGS, DashboardRange.DAY, 1).stream()
                    .filter(request -> !hasChangingScores(request)))
            .toList();
    List<String> failed = new ArrayList<>();
    List<String> different = new ArrayList<>();
    for (DashboardRequest request : requests) {
      DashboardAnswer answer = send(gateway.uri(), request);
      failed.addAll(answer.failedPanels(request));
      String difference = differenceFromNode(request, answer);
      if (!difference.isEmpty()) {
        different.add(request + ": " + difference);
      }
    }
    assertThat(failed).as("panels without a result").isEmpty();
    assertThat(different).as("panels that a node answers in another way").isEmpty();
    gateway.assertNothingHeld();
  }

  /**
   * Eight viewers at once. A node of this size may lack memory for a moment, and then refuses what
   * every client asks of it: such a dashboard must be answered when the others are done.
   */
  @Test
  void refuseNoneOfEightViewers() throws Exception {
    List<DashboardRequest> dashboards =
        DashboardRequest.of(LOGS, DashboardRange.WEEK, DashboardRequest.DASHBOARD);
    List<String> failed = new ArrayList<>();
    List<DashboardRequest> lackingMemory = new ArrayList<>();
    try (ExecutorService viewers = Executors.newFixedThreadPool(VIEWERS)) {
      List<Future<DashboardAnswer>> answers = new ArrayList<>();
      for (int viewer = 0; viewer < VIEWERS; viewer++) {
        DashboardRequest dashboard = dashboards.get(viewer % dashboards.size());
        answers.add(viewers.submit(() -> send(gateway.uri(), dashboard)));
      }
      for (int viewer = 0; viewer < VIEWERS; viewer++) {
        DashboardRequest dashboard = dashboards.get(viewer % dashboards.size());
        DashboardAnswer answer = answers.get(viewer).get();
        if (answer.lacksMemoryOnly(dashboard)) {
          lackingMemory.add(dashboard);
        } else {
          answer
              .failedPanels(dashboard)
              .forEach(panel -> failed.add(panel + " " + answer.firstError()));
        }
      }
    }
    assertThat(lackingMemory).as("dashboards without memory").hasSizeLessThan(VIEWERS / 2);
    for (DashboardRequest dashboard : lackingMemory) {
      failed.addAll(send(gateway.uri(), dashboard).failedPanels(dashboard));
    }
    assertThat(failed).as("panels without a result").isEmpty();
    gateway.assertNothingHeld();
    gateway.assertAlive();
  }

  /**
   * Returns whether significant terms are ordered by scores that change from answer to answer: the
   * shards without a document of the day count only if they are among the first to be asked.
   */
  private static boolean hasChangingScores(DashboardRequest request) {
    return request.toString().contains("significant");
  }

  /**
   * Compares with a node's answer. A node that answers in several ways is asked again: the gateway
   * must give one of its answers.
   */
  private String differenceFromNode(DashboardRequest request, DashboardAnswer answer)
      throws IOException, InterruptedException {
    DashboardAnswer first = send(node.httpUri(), request);
    DashboardAnswer next = first;
    for (int i = 0; i < NODE_REPEATS; i++) {
      if (next.equalsBesideTimes(answer)) {
        return "";
      }
      next = send(node.httpUri(), request);
    }
    return first.difference(answer);
  }

  private DashboardAnswer send(URI base, DashboardRequest request)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(base.resolve(request.path()))
                .header("Content-Type", request.contentType())
                .POST(BodyPublishers.ofString(request.body()))
                .build(),
            BodyHandlers.ofString());
    return new DashboardAnswer(response.statusCode(), response.body());
  }
}
