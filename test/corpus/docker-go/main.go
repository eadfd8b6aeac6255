package main

import (
	"encoding/json"
	"log"
	"os"
)

func main() {
	text, err := os.ReadFile("/var/runtime/input/data.json")
	if err != nil {
		log.Fatal(err)
	}
	var data struct{ Count int }
	if err := json.Unmarshal(text, &data); err != nil {
		log.Fatal(err)
	}
	total := 0
	for index := 1; index <= data.Count; index++ {
		total += index
	}
	result, _ := json.Marshal(map[string]int{"total": total})
	if err := os.WriteFile("/var/runtime/output/output.json", result, 0o644); err != nil {
		log.Fatal(err)
	}
	log.Print("summed")
}
