package dev.weir.gateway.actions.trim;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.gateway.reduce.AnswerTrim;
import dev.weir.gateway.reduce.TrimCounts;
import dev.weir.model.AnswerWish;
import dev.weir.model.AnswerWish.HitParts;
import dev.weir.model.RequestContext;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Says what of a search's answer is left out, and asks nodes for no more than the rest: because the
 * request says so ({@code trim=...}), because a rule does, or because its {@code filter_path} shows
 * that nobody reads it. The policy can be changed on any thread; a search goes by the one that it
 * began with.
 */
public final class Trimming {
  private static final String FILTER_PATH = "filter_path";

  /** Counts of profiles that are not in the policy any more are kept up to so many. */
  private static final int MOST_COUNTS = 1000;

  private final Map<String, TrimCounts> counts = new ConcurrentHashMap<>();
  private volatile Profiles profiles;

  /** Begins with a policy. */
  public Trimming(TrimmingPolicy policy) {
    profiles = new Profiles(policy);
    countsOf(FILTER_PATH);
    policy.profiles().keySet().forEach(this::countsOf);
  }

  /** Goes by another policy from now on. */
  public void use(TrimmingPolicy policy) {
    if (counts.size() > MOST_COUNTS) {
      counts
          .keySet()
          .removeIf(name -> !name.equals(FILTER_PATH) && !policy.profiles().containsKey(name));
    }
    policy.profiles().keySet().forEach(this::countsOf);
    profiles = new Profiles(policy);
  }

  /** What was saved, by profile. */
  public List<TrimCounts> counts() {
    return List.copyOf(counts.values());
  }

  /** Whether answers may depend on who asks. */
  public boolean byClient() {
    return !profiles.ruleless();
  }

  private TrimCounts countsOf(String profile) {
    return counts.computeIfAbsent(profile, TrimCounts::new);
  }

  /**
   * What is left out of the answer to a search, which asks for no more from now on.
   *
   * @throws IllegalArgumentException when the request asks for what there is not
   */
  public AnswerTrim narrow(SearchRequest request, RequestContext context) {
    AnswerWish wish = context.wish();
    if (wish == null) {
      return AnswerTrim.NONE;
    }
    Profiles.Chosen chosen = chosen(wish, context.tenant(), request);
    HitParts read = wish.read();
    if (chosen == null) {
      HitParts fetched = Narrowing.narrow(request, read);
      return fetched == HitParts.ALL
          ? AnswerTrim.NONE
          : new AnswerTrim(Set.of(), fetched, countsOf(FILTER_PATH));
    }
    context.addResponseHeaders(Map.of(RequestContext.TRIMMED, List.of(chosen.name())));
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
    HitParts fetched = Narrowing.narrow(request, read);
    if (dropped.contains(Part.HITS) && Narrowing.possible(request)) {
      fetched = HitParts.NOTHING; // whatever could have failed
    } else if (fetched == HitParts.ALL) {
      narrowSource(source, chosen);
    }
    return new AnswerTrim(dropped, fetched, countsOf(chosen.name()));
  }

  private Profiles.@Nullable Chosen chosen(AnswerWish wish, String tenant, SearchRequest request) {
    Profiles now = profiles;
    Profiles.Chosen chosen =
        wish.trim().isEmpty()
            ? now.ruled(wish.userAgent(), tenant, request.indices())
            : now.asked(wish.trim());
    SearchSourceBuilder source = request.source();
    boolean whole =
        source == null
            || request.scroll() != null
            || source.profile()
            || (source.ext() != null && !source.ext().isEmpty());
    return whole ? null : chosen;
  }

  /** Where documents come whole that nobody asked for in so many words. */
  private static void narrowSource(SearchSourceBuilder source, Profiles.Chosen chosen) {
    boolean some = !chosen.includes().isEmpty() || !chosen.excludes().isEmpty();
    boolean scripted = source.scriptFields() != null && !source.scriptFields().isEmpty();
    if (some && source.fetchSource() == null && source.storedFields() == null && !scripted) {
      source.fetchSource(
          new FetchSourceContext(
              true,
              chosen.includes().toArray(String[]::new),
              chosen.excludes().toArray(String[]::new)));
    }
  }
}
