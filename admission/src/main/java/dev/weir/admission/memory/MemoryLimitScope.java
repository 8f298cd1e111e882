package dev.weir.admission.memory;

/** The limit that rejected a reservation of memory. */
public enum MemoryLimitScope {
  /** What one request may hold of all pools together. */
  REQUEST,
  /** The share of a pool that one request may hold beside the others. */
  POOL_SHARE,
  /** The share of a pool that one tenant may hold beside the others. */
  TENANT,
  /** The size of a pool. */
  POOL
}
