/**
 * What an operator does to the data nodes of a cluster behind gateways, without a failed request:
 * restarts nodes, lets maintenance run on one, moves the cluster manager. An operation is a list of
 * steps that may be repeated, with a journal in the cluster's settings. It speaks REST to gateways.
 */
@NullMarked
package dev.weir.operate;

import org.jspecify.annotations.NullMarked;
