def run(most, **_):
    for number in range(50):
        with open(f"sparse-{number:02}", "wb") as file:
            file.truncate(most)
    return {"tried": {}}
