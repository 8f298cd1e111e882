package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * What breaks a rule today and is still to be repaired. The list can only shrink: a new violation
 * fails the test, and so does an entry that no longer breaks the rule.
 */
final class KnownViolations {
  private final Set<String> known;

  KnownViolations(String... known) {
    this.known = Set.of(known);
  }

  void check(String rule, Collection<String> found) {
    Set<String> added = new TreeSet<>(found);
    added.removeAll(known);
    assertThat(added).as(rule).isEmpty();
    Set<String> repaired = new TreeSet<>(known);
    repaired.removeAll(found);
    assertThat(repaired).as("these no longer break the rule: remove them from the list").isEmpty();
  }
}
