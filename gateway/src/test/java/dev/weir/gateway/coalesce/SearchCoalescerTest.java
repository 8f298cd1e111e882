package dev.weir.gateway.coalesce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.model.BodySource;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.StreamingResponse;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SearchCoalescerTest {
  private static final String BODY = "{\"size\": 3}";

  private final List<HttpExchange> ran = new ArrayList<>();
  private Object clusterState = "7/9";
  private int released;
  private final PolicyCompiler<CoalescingPolicy> policies =
      new PolicyCompiler<>(policy("logs-*", 1000, 3));
  private final SearchCoalescer coalescing = new SearchCoalescer(policies, () -> clusterState);

  private static CoalescingPolicy policy(String index, long millis, int followers) {
    return new CoalescingPolicy(
        List.of(index), Duration.ofMillis(millis), followers, new ByteSize(100));
  }

  private static TestExchange search() {
    return TestExchange.of("POST", "/logs-a/_search").body(BODY);
  }

  private TestExchange sent(TestExchange client) {
    coalescing.filter(client, ran::add);
    return client;
  }

  private BufferedResponse reply(int status) {
    return new BufferedResponse(
        status,
        "application/json",
        List.of(Map.entry("X-Opaque-Id", "leader's"), Map.entry("Warning", "299 odd")),
        List.of(ByteBuffer.wrap("answer".getBytes(StandardCharsets.UTF_8))),
        () -> released++);
  }

  @Test
  void runIdenticalSearchesOnceAndAnswerEachClient() {
    TestExchange leader = sent(search().header("X-Opaque-Id", "leader's"));
    TestExchange one = sent(search().header("X-Opaque-Id", "one's").header("User-Agent", "curl"));
    TestExchange other = sent(search());
    assertThat(ran).hasSize(1);
    assertThat(coalescing.waitingSearches()).isEqualTo(2);
    ran.getFirst().assignTaskId(12);
    ran.getFirst().respond(reply(200));
    assertThat(leader.events()).containsExactly("200 [leader's] answer");
    assertThat(one.events()).containsExactly("200 [one's] answer");
    assertThat(other.events()).containsExactly("200 answer");
    assertThat(other.reply().headers()).contains(Map.entry("Warning", "299 odd"));
    assertThat(List.of(leader.taskId(), one.taskId(), other.taskId()))
        .containsExactly(12L, 12L, 12L);
    assertThat(coalescing.waitingSearches()).isZero();
    assertThat(coalescing.counts().leaders()).isOne();
    assertThat(coalescing.counts().followers()).isEqualTo(2);
    assertThat(coalescing.counts().savedSearches()).isEqualTo(2);
    assertThat(released).isZero();
    leader.readToEnd();
    other.readToEnd();
    assertThat(released).isZero();
    one.readToEnd();
    assertThat(released).isOne();
  }

  @Test
  void runDifferentSearchesSeparately() {
    sent(search());
    sent(TestExchange.of("POST", "/logs-a/_search").body("{\"size\": 4}"));
    sent(TestExchange.of("GET", "/logs-a/_search").body(BODY));
    sent(TestExchange.of("POST", "/logs-b/_search").body(BODY));
    sent(TestExchange.of("POST", "/logs-a/_search?size=1").body(BODY));
    sent(search().header("Authorization", "Basic abc"));
    sent(search().header("X-Anything", "1"));
    assertThat(ran).hasSize(7);
  }

  @Test
  void separateSearchesOnDifferentClusterStates() {
    sent(search());
    clusterState = "7/10";
    sent(search());
    assertThat(ran).hasSize(2);
  }

  @Test
  void showAnAcknowledgedRefreshToLaterSearches() {
    sent(search());
    TestExchange write = sent(TestExchange.of("PUT", "/logs-a/_doc/1?refresh=true").body("{}"));
    sent(search());
    assertThat(ran).hasSize(2);
    ran.getLast().respond(reply(201));
    assertThat(write.events()).hasSize(1);
    sent(search());
    assertThat(ran).hasSize(3);
    coalescing.onRefresh();
    sent(search());
    assertThat(ran).hasSize(4);
  }

  @Test
  void shareOnlyWhatThePolicyNames() {
    RequestPolicy none = policies.compile("", CoalescingPolicy.DEFAULT, null);
    sent(search().policy(none));
    sent(search().policy(none));
    assertThat(ran).hasSize(2);
    assertThat(coalescing.isEnabled()).as("some may still go by the policy before").isTrue();
    SearchCoalescer never =
        new SearchCoalescer(new PolicyCompiler<>(CoalescingPolicy.DEFAULT), () -> clusterState);
    assertThat(never.isEnabled()).isFalse();
  }

  @Test
  void boundFollowersByNumberAndAge() {
    sent(search());
    for (int i = 0; i < 4; i++) {
      sent(search());
    }
    assertThat(ran).hasSize(2);
    assertThat(coalescing.counts().fullCount()).isOne();
    sent(search().arrivedAt(1_000_000_001));
    assertThat(ran).hasSize(3);
    assertThat(coalescing.counts().tooOldCount()).isOne();
  }

  @Test
  void startANewSharedSearchForLateClients() {
    List<TestExchange> clients = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      clients.add(sent(search().arrivedAt(i * 400_000_000L)));
    }
    // the searches of 0.4 s and 0.8 s join the one of 0 s; the one of 1.2 s runs
    assertThat(ran).hasSize(34);
    assertThat(coalescing.counts().tooOldCount()).isEqualTo(33);
    assertThat(coalescing.counts().followers()).isEqualTo(66);
    assertThat(coalescing.waitingSearches()).isEqualTo(66);
    ran.getFirst().respond(reply(200));
    assertThat(coalescing.waitingSearches()).isEqualTo(64);
    sent(search().arrivedAt(39_700_000_000L));
    assertThat(ran).as("the newest can be joined when an older one has ended").hasSize(34);
    assertThat(coalescing.waitingSearches()).isEqualTo(65);
    ran.stream().skip(1).forEach(run -> run.respond(reply(200)));
    assertThat(clients).allSatisfy(client -> assertThat(client.events()).hasSize(1));
    assertThat(coalescing.waitingSearches()).isZero();
  }

  @Test
  void shareNoMoreRunsThanNeeded() {
    for (int i = 0; i < 1000; i++) {
      sent(search());
    }
    assertThat(ran).hasSize(250);
    assertThat(coalescing.counts().fullCount()).isEqualTo(249);
    ran.forEach(run -> run.respond(reply(200)));
    assertThat(coalescing.counts().savedSearches()).isEqualTo(750);
    assertThat(coalescing.counts().leaders()).isEqualTo(250);
    assertThat(coalescing.waitingSearches()).isZero();
    sent(search());
    assertThat(ran).as("nothing is left to join").hasSize(251);
  }

  @Test
  void continueWhenOneOfSeveralClientsLeaves() {
    TestExchange leader = sent(search());
    TestExchange one = sent(search());
    TestExchange other = sent(search());
    List<String> cancelled = new ArrayList<>();
    ran.getFirst().onDisconnect(() -> cancelled.add("cancelled"));
    leader.disconnect();
    one.disconnect();
    assertThat(cancelled).isEmpty();
    assertThat(one.events()).containsExactly("dropped");
    assertThat(leader.events()).as("its body is read until the end").isEmpty();
    ran.getFirst().respond(reply(200));
    assertThat(leader.events()).containsExactly("dropped");
    assertThat(other.events()).containsExactly("200 answer");
    other.readToEnd();
    assertThat(released).isOne();
  }

  @Test
  void cancelWhenTheLastClientLeaves() {
    TestExchange leader = sent(search());
    TestExchange one = sent(search());
    List<String> cancelled = new ArrayList<>();
    ran.getFirst()
        .onDisconnect(() -> {
          cancelled.add("cancelled");
          ran.getFirst().drop();
        });
    leader.disconnect();
    one.disconnect();
    assertThat(cancelled).hasSize(1);
    assertThat(leader.events()).containsExactly("dropped");
    assertThat(one.events()).containsExactly("dropped");
    sent(search());
    assertThat(ran).hasSize(2);
  }

  @Test
  void shareErrors() {
    TestExchange leader = sent(search());
    TestExchange one = sent(search());
    ran.getFirst().respond(reply(503));
    assertThat(leader.events()).containsExactly("503 answer");
    assertThat(one.events()).containsExactly("503 answer");
  }

  @Test
  void doNotApplyTheLeadersDeadlineToFollowers() {
    TestExchange leader = sent(search());
    TestExchange one = sent(search());
    TestExchange other = sent(search());
    ran.getFirst().respond(reply(408));
    assertThat(leader.events()).containsExactly("408 [leader's] answer");
    assertThat(one.events()).isEmpty();
    assertThat(ran).hasSize(2);
    assertThat(coalescing.counts().restarts()).isEqualTo(2);
    ran.getLast().respond(reply(200));
    assertThat(one.events()).hasSize(1);
    assertThat(other.events()).hasSize(1);
  }

  @Test
  void passThroughEachClientSeparately() {
    TestExchange leader = sent(search());
    TestExchange one = sent(search());
    ran.getFirst().passThrough("search-pipeline");
    assertThat(leader.events()).containsExactly("through search-pipeline");
    assertThat(one.events()).containsExactly("through search-pipeline");
    sent(search());
    assertThat(ran).hasSize(2);
  }

  @Test
  void doNotShareResponsesAcrossUsers() {
    SearchCoalescer told =
        new SearchCoalescer(
            new PolicyCompiler<>(policy("logs-*", 1000, 3)),
            () -> clusterState,
            exchange -> exchange.headers().toString());
    told.filter(search().header("User-Agent", "one"), ran::add);
    told.filter(search().header("User-Agent", "other"), ran::add);
    assertThat(ran).hasSize(2);
    told.filter(search().header("User-Agent", "one"), ran::add);
    assertThat(ran).hasSize(2);
    ran.forEach(run -> run.respond(reply(200)));
    assertThat(told.waitingSearches()).isZero();
  }

  @Test
  void separateSearchesOfDifferentPolicies() {
    RequestPolicies now =
        policies.compile(
            CoalescingPolicy.DEFAULT,
            Map.of("one", policy("logs-*", 1000, 3), "other", policy("logs-*", 1000, 3)),
            null);
    RequestPolicy one = Objects.requireNonNull(now.namedPolicies().get("one"));
    RequestPolicy other = Objects.requireNonNull(now.namedPolicies().get("other"));
    sent(search().policy(now.defaultPolicy()));
    sent(search().policy(now.defaultPolicy()));
    assertThat(ran).as("those without a policy").hasSize(2);
    sent(search().policy(one));
    sent(search().policy(one));
    assertThat(ran).hasSize(3);
    sent(search().policy(other));
    assertThat(ran).hasSize(4);
    sent(search().policy(policies.compile("one", policy("logs-*", 1000, 3), one)));
    assertThat(ran).as("a later one of the same name").hasSize(5);
    TestExchange write = sent(TestExchange.of("PUT", "/logs-a/_doc/1?refresh=true").body("{}"));
    ran.getLast().respond(reply(201));
    assertThat(write.events()).hasSize(1);
    sent(search().policy(one));
    assertThat(ran).as("a write of another policy was seen").hasSize(7);
  }

  /** Lets a search join while this one starts, then throws; later ones throw at once. */
  private RequestHandler joinThenFail(SearchCoalescer breaking, List<TestExchange> joining) {
    return new RequestHandler() {
      @Override
      public void handle(HttpExchange run) {
        if (joining.isEmpty()) {
          joining.add(search());
          breaking.filter(joining.getFirst(), this);
        }
        throw new IllegalStateException("a defect");
      }
    };
  }

  @Test
  void failFollowersOfABrokenSearch() {
    List<TestExchange> joined = new ArrayList<>();
    SearchCoalescer breaking =
        new SearchCoalescer(new PolicyCompiler<>(policy("logs-*", 1000, 3)), () -> clusterState);
    TestExchange leader = search();
    assertThatThrownBy(() -> breaking.filter(leader, joinThenFail(breaking, joined)))
        .hasMessage("a defect");
    assertThat(leader.events()).as("the caller responds to the leader").isEmpty();
    assertThat(joined.getFirst().events()).singleElement().asString().startsWith("500 {\"error\"");
    assertThat(joined.getFirst().events().getFirst()).contains("a defect");
    assertThat(breaking.waitingSearches()).isZero();
  }

  @Test
  void failASearchThatBreaksAfterARestart() {
    List<TestExchange> joined = new ArrayList<>();
    List<HttpExchange> first = new ArrayList<>();
    SearchCoalescer breaking =
        new SearchCoalescer(new PolicyCompiler<>(policy("logs-*", 1000, 3)), () -> clusterState);
    RequestHandler failing =
        run -> {
          if (!first.isEmpty()) {
            throw new IllegalStateException("a defect");
          }
          first.add(run);
        };
    for (int i = 0; i < 3; i++) {
      joined.add(search());
      breaking.filter(joined.getLast(), failing);
    }
    first.getFirst().respond(reply(408));
    assertThat(joined.stream().map(one -> one.events().getFirst().substring(0, 3)))
        .containsExactly("408", "500", "500");
    assertThat(breaking.waitingSearches()).isZero();
  }

  @Test
  void runFollowersByThemselvesWhenTheResponseIsStreamed() {
    TestExchange leader = sent(search());
    TestExchange follower = sent(search());
    assertThat(ran).hasSize(1);

    ran.getFirst().respond(streamed());

    assertThat(leader.events()).hasSize(1);
    assertThat(follower.events()).isEmpty();
    assertThat(ran).as("the follower's own run, which nobody may join").hasSize(2);
    assertThat(coalescing.waitingSearches()).isZero();
    ran.getLast().respond(reply(200));
    assertThat(follower.events()).hasSize(1);
    assertThat(coalescing.counts().restarts()).as("no deadline passed").isZero();
    assertThat(coalescing.counts().savedSearches()).isZero();
  }

  @Test
  void reportARefreshBeforeAStreamedResponse() {
    TestExchange write = sent(TestExchange.of("PUT", "/logs-a/_doc/1?refresh=true").body("{}"));
    HttpExchange writing = ran.getLast();
    sent(search());
    writing.respond(streamed());
    assertThat(write.events()).hasSize(1);
    sent(search());
    assertThat(ran).as("the later search must see the write").hasSize(3);
  }

  private StreamingResponse streamed() {
    return new StreamingResponse(
        200,
        "application/json",
        List.of(),
        new BodySource() {
          @Override
          public void onStart(Sink sink) {
            sink.complete(List.of());
          }

          @Override
          public void onWritable() {}

          @Override
          public void onClosed(boolean complete) {}
        },
        () -> released++);
  }

  @Test
  void giveEveryClientOneOutcome() {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 300; round++) {
      List<TestExchange> clients = new ArrayList<>();
      released = 0;
      int begun = ran.size();
      int open = 0;
      for (int step = 0; step < 30; step++) {
        switch (random.nextInt(6)) {
          case 0, 1, 2 -> clients.add(sent(search()));
          case 3 -> {
            if (!clients.isEmpty()) {
              TestExchange client = clients.get(random.nextInt(clients.size()));
              if (client.events().isEmpty() && !client.isDisconnected()) {
                client.disconnect();
              }
            }
          }
          case 4 -> open = endOne(begun, open, random);
          default -> clients.forEach(TestExchange::readToEnd);
        }
      }
      while (begun + open < ran.size()) {
        open = endOne(begun, open, random);
      }
      clients.forEach(TestExchange::readToEnd);
      assertThat(clients).allSatisfy(client -> assertThat(client.events()).hasSize(1));
      assertThat(coalescing.waitingSearches()).isZero();
    }
  }

  /** Ends the oldest open run, even if it was cancelled. */
  private int endOne(int begun, int ended, SplittableRandom random) {
    if (begun + ended == ran.size()) {
      return ended;
    }
    HttpExchange run = ran.get(begun + ended);
    switch (random.nextInt(4)) {
      case 0 -> run.drop();
      case 1 -> run.passThrough("odd");
      case 2 -> run.respond(reply(408));
      default -> run.respond(reply(200));
    }
    return ended + 1;
  }
}
