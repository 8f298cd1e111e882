package dev.weir.node.ceiling;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.search.internal.FilteredSearchContext;
import org.opensearch.search.internal.SearchContext;

final class CeilingSearchContextTest {
  /** Aggregators are added to the context itself, which closes them before it ends the account. */
  private static final Set<String> OWN = Set.of("addReleasable");

  /** What a subclass of OpenSearch's filter forgets has the default of a context, unnoticed. */
  @Test
  void forwardsEveryMethodOfAContext() {
    List<String> forgotten =
        Arrays.stream(SearchContext.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> !Modifier.isFinal(method.getModifiers()))
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> !method.isSynthetic())
            .filter(method -> !isDeclared(CeilingSearchContext.class, method))
            .filter(method -> !isDeclared(FilteredSearchContext.class, method))
            .map(Method::getName)
            .filter(name -> !OWN.contains(name))
            .toList();

    assertThat(forgotten).isEmpty();
  }

  private static boolean isDeclared(Class<?> type, Method method) {
    return Arrays.stream(type.getDeclaredMethods())
        .anyMatch(own ->
            own.getName().equals(method.getName())
                && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
  }
}
