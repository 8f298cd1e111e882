package dev.weir.advice.finding;

import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** Compares a snapshot with one practice. A check has no state, and finds nothing in health. */
public interface Check {
  /** Returns the name, in lower case with hyphens, which users give to run this check alone. */
  String name();

  /** Returns what the check reads; it does not run if one of them could not be read. */
  Set<ApiSource> needs();

  /** Returns what is found, the worst first. */
  List<Finding> run(ClusterSnapshot snapshot);
}
