package dev.weir.operate;

/** A change of a cluster by one call or several. It may be repeated. */
@FunctionalInterface
interface ClusterChange {
  void make() throws OperationException, InterruptedException;
}
