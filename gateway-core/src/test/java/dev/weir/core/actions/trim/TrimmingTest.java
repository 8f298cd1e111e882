package dev.weir.core.actions.trim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.config.policy.TrimmingPolicy.Profile;
import dev.weir.config.policy.TrimmingPolicy.Rule;
import dev.weir.core.reduce.AnswerTrim;
import dev.weir.model.AnswerWish;
import dev.weir.model.AnswerWish.HitParts;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.lucene.search.join.ScoreMode;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.index.query.NestedQueryBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;

class TrimmingTest {
  private static final Profile ALL = new Profile(List.of(Part.values()), List.of(), List.of());
  private static final Profile TITLES =
      new Profile(List.of(Part.SCORE), List.of("title"), List.of("*.x"));

  private final PolicyCompiler<TrimmingPolicy> policies =
      new PolicyCompiler<>(
          new TrimmingPolicy(
              Map.of("all", ALL, "titles", TITLES),
              List.of(
                  new Rule("titles", List.of("my-*"), List.of("gold"), List.of()),
                  new Rule("all", List.of("*"), List.of(), List.of("logs-*")),
                  new Rule("titles", List.of(), List.of("thrifty*"), List.of()))));
  private final Trimming trimming = new Trimming(policies);
  private RequestPolicy policy = RequestPolicy.NONE;

  private final SearchSourceBuilder source = new SearchSourceBuilder();
  private final SearchRequest request = new SearchRequest(new String[] {"logs-1"}, source);

  private AnswerTrim narrow(String trim, String userAgent, String tenant, HitParts read) {
    RequestContext context = new RequestContext(Runnable::run, Runnable::run, 1, Map.of(), tenant);
    context.goesBy(policy);
    context.wishes(new AnswerWish(trim, userAgent, read));
    return trimming.narrow(request, context);
  }

  private AnswerTrim ruled(String userAgent, String tenant) {
    return narrow("", userAgent, tenant, HitParts.ALL);
  }

  @Test
  void unknownClientIsNotTrimmedUnasked() {
    assertThat(ruled("", "_default")).isEqualTo(AnswerTrim.NONE);
    assertThat(ruled("", "gold")).isEqualTo(AnswerTrim.NONE);
    assertThat(source.fetchSource()).isNull();
  }

  @Test
  void rulesGoByAgentTenantAndIndicesTogether() {
    assertThat(ruled("my-app/1", "gold").counts().profile()).isEqualTo("titles");
    assertThat(ruled("my-app/1", "silver").counts().profile()).isEqualTo("all");
    assertThat(ruled("", "thrifty-2").counts().profile()).isEqualTo("titles");
    request.indices("logs-1", "metrics");
    assertThat(ruled("my-app/1", "silver")).isEqualTo(AnswerTrim.NONE);
    request.indices();
    assertThat(ruled("my-app/1", "silver")).isEqualTo(AnswerTrim.NONE);
  }

  @Test
  void eachRequestGoesByTheProfilesAndRulesOfItsOwnPolicy() {
    Rule everybody = new Rule("all", List.of("*"), List.of(), List.of());
    RequestPolicies now =
        policies.compile(
            TrimmingPolicy.none(),
            Map.of("lean", new TrimmingPolicy(Map.of("all", ALL), List.of(everybody))),
            null);
    RequestPolicy lean = Objects.requireNonNull(now.named().get("lean"));
    policy = now.standard();
    assertThat(trimming.byClient(lean)).isTrue();
    assertThat(trimming.byClient(policy)).isFalse();
    assertThat(ruled("my-app/1", "gold")).isEqualTo(AnswerTrim.NONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> narrow("all", "", "", HitParts.ALL))
        .withMessageContaining("got [trim] with [all]");
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.wishes(new AnswerWish("", "my-app/1", HitParts.ALL));
    context.goesBy(lean);
    assertThat(trimming.narrow(request, context).counts().profile()).isEqualTo("all");
    RequestContext part = context.part();
    part.wishes(new AnswerWish("all", "", HitParts.ALL));
    assertThat(trimming.narrow(request, part).counts().profile()).isEqualTo("all");
  }

  @Test
  void requestDecidesForItself() {
    assertThat(narrow("none", "my-app", "gold", HitParts.ALL)).isEqualTo(AnswerTrim.NONE);
    AnswerTrim asked = narrow("shards,titles", "", "", HitParts.ALL);
    assertThat(asked.dropped()).containsExactlyInAnyOrder(Part.SHARDS, Part.SCORE);
    assertThat(asked.counts().profile()).isEqualTo("asked");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> narrow("shard", "", "", HitParts.ALL))
        .withMessageContaining("got [trim] with [shard] (expected: none, or of ")
        .withMessageContaining("titles")
        .withMessageContaining("max-score");
    assertThatIllegalArgumentException().isThrownBy(() -> narrow("shards,", "", "", HitParts.ALL));
  }

  @Test
  void ruleLeavesKnownClientsWhatTheyRead() {
    assertThat(ruled("opensearch-java/3.9.0 (Java/25)", "").dropped())
        .doesNotContain(Part.SHARDS, Part.INDEX, Part.ID)
        .contains(Part.SCORE);
    assertThat(ruled("Grafana/12.1", "").dropped())
        .doesNotContain(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT);
    assertThat(ruled("OpenSearch-Dashboards", "").dropped()).doesNotContain(Part.SHARDS);
    request.source(new SearchSourceBuilder());
    assertThat(ruled("curl/8", "").dropped()).containsExactlyInAnyOrder(Part.values());
  }

  /** An index with what its mapping says of {@code _source}. */
  private static IndexMetadata index(String name, String source) throws IOException {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0)
                .put(IndexMetadata.SETTING_INDEX_UUID, name))
        .putMapping("{\"_doc\": {" + source + "}}")
        .build();
  }

  private AnswerTrim cutDown(AnswerTrim trim, IndexMetadata... indices) {
    Metadata.Builder metadata = Metadata.builder();
    for (IndexMetadata index : indices) {
      metadata.put(index, false);
    }
    ClusterState state =
        ClusterState.builder(new ClusterName("test")).metadata(metadata.build()).build();
    return trimming.narrowDocuments(
        trim, request, state, Stream.of(indices).map(IndexMetadata::getIndex).toList());
  }

  @Test
  void fieldsOfDocumentsAreAskedForWhereTheRequestSaysNothingOfThem() throws IOException {
    IndexMetadata index = index("logs-1", "");
    AnswerTrim fields = cutDown(narrow("titles", "", "", HitParts.ALL), index);
    assertThat(fields.fields()).isNotNull();
    assertThat(Objects.requireNonNull(source.fetchSource()).includes()).containsExactly("title");
    assertThat(source.fetchSource().excludes()).containsExactly("*.x");

    request.source(new SearchSourceBuilder().fetchSource(new String[] {"n"}, null));
    cutDown(narrow("titles,source", "", "", HitParts.ALL), index);
    assertThat(request.source().fetchSource().includes()).containsExactly("n");

    for (SearchSourceBuilder each :
        List.of(new SearchSourceBuilder().storedField("n"), new SearchSourceBuilder().size(0))) {
      request.source(each);
      cutDown(narrow("titles", "", "", HitParts.ALL), index);
      assertThat(request.source().fetchSource()).isNull();
    }
  }

  @Test
  void documentsAreNotCutDownWhereAnIndexKeepsNone() throws IOException {
    IndexMetadata keeps = index("a", "\"_source\": {\"excludes\": [\"b\"]}");
    IndexMetadata keepsToo = index("b", "\"_source\": {\"enabled\": true}");
    IndexMetadata sourceless = index("c", "\"_source\": {\"enabled\": false}");
    AnswerTrim trim = narrow("titles", "", "", HitParts.ALL);
    assertThat(cutDown(trim, keeps, keepsToo)).isEqualTo(trim);
    assertThat(source.fetchSource()).isNotNull();
    for (int twice = 0; twice < 2; twice++) {
      AnswerTrim whole = cutDown(trim, keeps, sourceless, keepsToo);
      assertThat(source.fetchSource()).isNull();
      assertThat(whole.fields()).isNull();
      assertThat(whole.dropped()).containsExactly(Part.SCORE);
    }
    assertThat(cutDown(trim)).isEqualTo(trim);
    assertThat(source.fetchSource()).isEqualTo(trim.fields());
  }

  @Test
  void nothingIsTrimmedWhereTheRequestItselfSaysWhatOfDocumentsItWants() {
    request.source(new SearchSourceBuilder().fetchSource("n", null));
    assertThat(narrow("source", "", "", HitParts.ALL)).isEqualTo(AnswerTrim.NONE);
  }

  @Test
  void documentsThatNobodyReadsAreNotAskedFor() {
    AnswerTrim trim = narrow("", "", "", HitParts.NO_SOURCE);
    assertThat(trim.fetched()).isEqualTo(HitParts.NO_SOURCE);
    assertThat(trim.counts().profile()).isEqualTo("filter_path");
    assertThat(Objects.requireNonNull(source.fetchSource()).fetchSource()).isFalse();
    assertThat(source.storedFields()).isNull();
    assertThat(narrow("", "", "", HitParts.NOTHING).fetched()).isEqualTo(HitParts.NOTHING);
    assertThat(Objects.requireNonNull(source.storedFields()).fetchFields()).isFalse();
  }

  @Test
  void whatMayFailWhileFetchingIsFetched() {
    NestedQueryBuilder nested =
        QueryBuilders.nestedQuery("p", QueryBuilders.matchAllQuery(), ScoreMode.None)
            .innerHit(new InnerHitBuilder("i"));
    for (SearchSourceBuilder each :
        List.of(
            new SearchSourceBuilder().docValueField("n"),
            new SearchSourceBuilder().fetchField("n"),
            new SearchSourceBuilder().explain(true),
            new SearchSourceBuilder().storedField("n"),
            new SearchSourceBuilder().query(nested),
            new SearchSourceBuilder().postFilter(QueryBuilders.boolQuery().must(nested)))) {
      request.source(each);
      assertThat(narrow("", "", "", HitParts.NOTHING).fetched()).isEqualTo(HitParts.NO_SOURCE);
    }
    for (SearchSourceBuilder each :
        List.of(
            new SearchSourceBuilder().fetchSource("n", null),
            new SearchSourceBuilder().profile(true),
            new SearchSourceBuilder().size(0))) {
      request.source(each);
      assertThat(narrow("", "", "", HitParts.NOTHING)).isEqualTo(AnswerTrim.NONE);
    }
  }

  @Test
  void scrollsStayWhole() {
    request.scroll(TimeValue.timeValueSeconds(1));
    assertThat(narrow("all", "", "", HitParts.NOTHING)).isEqualTo(AnswerTrim.NONE);
    assertThat(source.fetchSource()).isNull();
  }

  @Test
  void profilesOfAnotherPolicyAreUnknown() {
    policy = policies.compile("", TrimmingPolicy.none(), null);
    assertThat(ruled("my-app/1", "gold")).isEqualTo(AnswerTrim.NONE);
    assertThatIllegalArgumentException().isThrownBy(() -> narrow("titles", "", "", HitParts.ALL));
  }
}
