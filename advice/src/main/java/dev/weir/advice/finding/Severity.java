package dev.weir.advice.finding;

/** How much a finding matters; the worst first. */
public enum Severity {
  /** Data or the service is at risk, or an unfinished operation holds the cluster back. */
  PROBLEM,
  /** The cluster is slower, or less safe, than it could be. */
  ADVICE,
  /** Worth a look; it may be intended. */
  HINT
}
