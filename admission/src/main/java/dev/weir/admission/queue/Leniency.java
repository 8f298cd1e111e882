package dev.weir.admission.queue;

/** How far a request may exceed the limits, after it has waited long. */
enum Leniency {
  /** Not at all, except that a tenant without calls to a node may exceed its maximum there. */
  NONE,

  /**
   * Its calls together may exceed the maximum of its tenant, if one of them fits: a search of many
   * shards would otherwise wait for ever beside small ones of its own tenant.
   */
  OWN_MAXIMUM,

  /** The limits of nodes, too: the request needs several that rarely have capacity at once. */
  LIMITS
}
