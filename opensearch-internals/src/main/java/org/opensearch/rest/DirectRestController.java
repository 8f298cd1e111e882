package org.opensearch.rest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.collect.Iterators;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.transport.client.node.NodeClient;
import org.opensearch.usage.UsageService;

/**
 * A controller that looks the handlers of {@code /{index}/_endpoint} and {@code
 * /{index}/_endpoint/{id}} up in a table. {@link RestController} tries four ways to match wildcards
 * one after the other, and tries all four again after each that finds nothing: these paths take six
 * to sixteen walks through its routes. The table has what those walks would find; other paths, and
 * methods that a path does not support, still take them. The table is complete before the first
 * request.
 */
@NullMarked
public final class DirectRestController extends RestController {
  private static final String INDEX = "{index}";

  /** By the endpoint after the index. */
  private final Map<String, Target> indexTargets = new HashMap<>();

  /** By the endpoint between the index and the id. */
  private final Map<String, Target> documentTargets = new HashMap<>();

  /**
   * What the routes lead to.
   *
   * @param parameter the name of the last segment's parameter; empty for none
   */
  private record Target(RestMethodHandlers handlers, String parameter) {}

  /** Creates a controller without routes. */
  public DirectRestController(
      Set<RestHeaderDefinition> headersToCopy,
      NodeClient client,
      CircuitBreakerService breakers,
      UsageService usage) {
    super(headersToCopy, null, client, breakers, usage);
  }

  /** Registers all handlers; called once. */
  public void registerHandlers(List<? extends RestHandler> all) {
    all.forEach(this::registerHandler);
    List<String[]> routes = new ArrayList<>();
    getAllHandlers().forEachRemaining(handlers -> routes.add(handlers.getPath().split("/", -1)));
    Set<String> parentsOfNames = new HashSet<>();
    for (String[] route : routes) {
      if (route.length > 3 && !isParameter(route[3])) {
        parentsOfNames.add(route[2]);
      }
    }
    for (String[] route : routes) {
      addTarget(route, parentsOfNames);
    }
  }

  private void addTarget(String[] route, Set<String> parentsOfNames) {
    if (route.length < 3 || !route[1].equals(INDEX) || isParameter(route[2])) {
      return;
    }
    String endpoint = route[2];
    if (route.length == 3) {
      indexTargets.put(endpoint, new Target(firstMatch("/x/" + endpoint), ""));
    } else if (route.length == 4 && isParameter(route[3]) && !parentsOfNames.contains(endpoint)) {
      String parameter = route[3].substring(1, route[3].length() - 1);
      documentTargets.put(endpoint, new Target(firstMatch("/x/" + endpoint + "/x"), parameter));
    }
  }

  private RestMethodHandlers firstMatch(String path) {
    Iterator<@Nullable RestMethodHandlers> matches =
        super.getAllRestMethodHandlers(new HashMap<>(), path);
    while (matches.hasNext()) {
      RestMethodHandlers match = matches.next();
      if (match != null) {
        return match;
      }
    }
    throw new IllegalStateException("got no handler of " + path + " (expected: a registered one)");
  }

  private static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }

  @Override
  @SuppressWarnings("unchecked") // OpenSearch's method takes an array of iterators
  Iterator<RestMethodHandlers> getAllRestMethodHandlers(
      @Nullable Map<String, String> params, String rawPath) {
    Iterator<RestMethodHandlers> walks = super.getAllRestMethodHandlers(params, rawPath);
    RestMethodHandlers known = params == null ? null : find(rawPath, params);
    return known == null ? walks : Iterators.concat(List.of(known).iterator(), walks);
  }

  private @Nullable RestMethodHandlers find(String path, Map<String, String> params) {
    int indexEnd = path.indexOf('/', 1);
    if (indexEnd < 0 || path.charAt(0) != '/' || !isPlain(path, 1, indexEnd)) {
      return null;
    }
    int endpointEnd = path.indexOf('/', indexEnd + 1);
    Target target;
    if (endpointEnd < 0) {
      target = indexTargets.get(path.substring(indexEnd + 1));
    } else if (isPlain(path, endpointEnd + 1, path.length())) {
      target = documentTargets.get(path.substring(indexEnd + 1, endpointEnd));
    } else {
      return null;
    }
    if (target == null) {
      return null;
    }
    params.put("index", path.substring(1, indexEnd));
    if (!target.parameter().isEmpty()) {
      params.put(target.parameter(), path.substring(endpointEnd + 1));
    }
    return target.handlers();
  }

  /** Returns whether a segment is no endpoint, and is the same once it is decoded. */
  private static boolean isPlain(String path, int from, int to) {
    if (from >= to || path.charAt(from) == '_') {
      return false;
    }
    for (int i = from; i < to; i++) {
      char c = path.charAt(i);
      if (c == '/' || c == '%' || c == '+') {
        return false;
      }
    }
    return true;
  }
}
