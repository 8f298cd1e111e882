package dev.weir.core.actions.trim;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.AnswerTrim;
import dev.weir.core.reduce.TrimCounts;
import dev.weir.model.AnswerWish;
import dev.weir.model.AnswerWish.HitParts;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.Index;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Says what of a search's answer is left out, and asks nodes for no more than the rest: because the
 * request says so ({@code trim=...}), because a rule does, or because its {@code filter_path} shows
 * that nobody reads it. Safe on any thread.
 */
public final class Trimming {
  private static final String FILTER_PATH = "filter_path";

  /** Counts of profiles that are not in the policy any more are kept up to so many. */
  private static final int MOST_COUNTS = 1000;

  private final Map<String, TrimCounts> counts = new ConcurrentHashMap<>();
  private final KeptDocuments documents = new KeptDocuments();
  private final RequestPolicy.Section<Profiles> section;

  /** Goes by what policies say of it. */
  public Trimming(PolicySections<TrimmingPolicy> sections) {
    countsOf(FILTER_PATH);
    section = sections.add((name, says, before) -> new Profiles(says));
  }

  /** Begins to count what policies name, and forgets counts beyond a bound that none does. */
  public void counts(RequestPolicies named) {
    Set<String> names =
        named.all().stream()
            .flatMap(policy -> policy.of(section).names().stream())
            .collect(Collectors.toSet());
    if (counts.size() > MOST_COUNTS) {
      counts.keySet().removeIf(name -> !name.equals(FILTER_PATH) && !names.contains(name));
    }
    names.forEach(this::countsOf);
  }

  /** What was saved, by profile. */
  public List<TrimCounts> counts() {
    return List.copyOf(counts.values());
  }

  /** Whether the answers to a policy's searches may depend on who asks. */
  public boolean byClient(RequestPolicy policy) {
    return !policy.of(section).ruleless();
  }

  private TrimCounts countsOf(String profile) {
    return counts.computeIfAbsent(profile, TrimCounts::new);
  }

  /**
   * What is left out of the answer to a search, which asks for no more from now on; but for the
   * fields of documents, see {@link #narrowDocuments}.
   *
   * @throws IllegalArgumentException when the request asks for what there is not
   */
  public AnswerTrim narrow(SearchRequest request, RequestContext context) {
    AnswerWish wish = context.wish();
    if (wish == null) {
      return AnswerTrim.NONE;
    }
    Profiles.Chosen chosen = chosen(wish, context, request);
    HitParts read = wish.read();
    if (chosen == null) {
      return unread(request, read);
    }
    Set<Part> dropped = EnumSet.noneOf(Part.class);
    dropped.addAll(chosen.drop());
    SearchSourceBuilder source = request.source();
    if (source.fetchSource() != null) {
      dropped.remove(Part.SOURCE);
    }
    if (dropped.contains(Part.HITS)) {
      read = HitParts.NOTHING;
    } else if (dropped.contains(Part.SOURCE) && HitParts.NO_SOURCE.lessThan(read)) {
      read = HitParts.NO_SOURCE;
    }
    FetchSourceContext fields = fields(source, chosen);
    if (dropped.isEmpty() && fields == null) {
      return unread(request, read);
    }
    HitParts fetched = Narrowing.narrow(request, read);
    if (dropped.contains(Part.HITS) && Narrowing.possible(request)) {
      fetched = HitParts.NOTHING; // whatever could have failed
    }
    return new AnswerTrim(
        dropped, fetched, fetched == HitParts.ALL ? fields : null, countsOf(chosen.name()));
  }

  /** What is not fetched because nobody reads it. */
  private AnswerTrim unread(SearchRequest request, HitParts read) {
    HitParts fetched = Narrowing.narrow(request, read);
    return fetched == HitParts.ALL
        ? AnswerTrim.NONE
        : new AnswerTrim(Set.of(), fetched, null, countsOf(FILTER_PATH));
  }

  /**
   * Has nodes cut documents down to the fields that are left, unless an index keeps no documents: a
   * node fails a search that asks for fields of them.
   *
   * @param trim as {@link #narrow} said
   * @param indices that the search goes to
   * @return what is left out with that
   */
  public AnswerTrim narrowDocuments(
      AnswerTrim trim, SearchRequest request, ClusterState state, List<Index> indices) {
    if (trim.fields() == null) {
      return trim;
    }
    boolean kept = documents.areKeptBy(state.metadata(), indices);
    request.source().fetchSource(kept ? trim.fields() : null); // also after an earlier state
    return kept ? trim : trim.withWholeDocuments();
  }

  private Profiles.@Nullable Chosen chosen(
      AnswerWish wish, RequestContext context, SearchRequest request) {
    Profiles now = context.policy().of(section);
    Profiles.Chosen chosen =
        wish.trim().isEmpty()
            ? now.ruled(wish.userAgent(), context.tenant(), request.indices())
            : now.asked(wish.trim());
    SearchSourceBuilder source = request.source();
    boolean whole =
        source == null
            || request.scroll() != null
            || source.profile()
            || (source.ext() != null && !source.ext().isEmpty());
    return whole ? null : chosen;
  }

  /** Where documents come whole that nobody asked for in so many words; null elsewhere. */
  private static @Nullable FetchSourceContext fields(
      SearchSourceBuilder source, Profiles.Chosen chosen) {
    boolean some = !chosen.includes().isEmpty() || !chosen.excludes().isEmpty();
    boolean scripted = source.scriptFields() != null && !source.scriptFields().isEmpty();
    return some
            && source.size() != 0 // there are none; and the nodes' request cache knows it as it is
            && source.fetchSource() == null
            && source.storedFields() == null
            && !scripted
        ? new FetchSourceContext(
            true,
            chosen.includes().toArray(String[]::new),
            chosen.excludes().toArray(String[]::new))
        : null;
  }
}
