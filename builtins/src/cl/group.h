// The work-item's number in its group, and how many there are.

size_t OVERLOAD get_local_id(uint dimension);
size_t OVERLOAD get_local_size(uint dimension);

HELPER size_t item_number(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
HELPER size_t item_count(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }
