#include <stdio.h>
#include <stdlib.h>

int main(void) {
  FILE *input = fopen("/var/runtime/input/data.json", "r");
  FILE *output = fopen("/var/runtime/output/output.json", "w");
  long count = 0, total = 0;
  if (input == NULL || output == NULL || fscanf(input, "{\"count\":%ld}", &count) != 1) {
    fputs("data.json is not what it should be\n", stderr);
    return EXIT_FAILURE;
  }
  for (long index = 1; index <= count; index++) total += index;
  puts("summed");
  fprintf(output, "{\"total\": %ld}", total);
  return fclose(output) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
